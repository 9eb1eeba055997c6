"""Build description of humanoid_description."""

from glob import glob

from setuptools import find_packages, setup

PACKAGE = "humanoid_description"
FOLDERS = ["macros", *glob("robots/*"), *glob("robots/*/motions")]

setup(
    name=PACKAGE,
    version="0.1.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        *((f"share/{PACKAGE}/{folder}", glob(f"{folder}/*.*")) for folder in FOLDERS),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["hypothesis", "pytest"]},
    zip_safe=True,
    maintainer="Humanoid maintainers",
    maintainer_email="maintainers@example.org",
    description="What the robots are: URDF and SDF, robot.yaml, the arithmetic of their masses, their ROS interface.",
    license="Apache-2.0",
)
